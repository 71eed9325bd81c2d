// An entry opens when it is linked to, and every entry is printed open.
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const entry = target?.closest("details");
  if (entry) { entry.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", reveal);
reveal();
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  for (const entry of closed) entry.open = true;
});
addEventListener("afterprint", () => { for (const entry of closed) entry.open = false; });
