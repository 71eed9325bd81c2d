// The choice of papers and kinds above the list of what is false; #BB chooses one paper.
const choose = () => {
  const form = document.querySelector("form.choose");
  if (!form) return;
  form.hidden = false;
  const boxes = [...form.querySelectorAll("input")], errors = [...document.querySelectorAll(".error")];
  const show = () => {
    const on = (name) => boxes.filter((box) => box.name === name && box.checked).map((box) => box.value);
    const papers = on("paper"), severities = on("severity");
    for (const one of errors) one.hidden = !(papers.includes(one.dataset.paper) && severities.includes(one.dataset.severity));
    form.querySelector(".count").textContent = `${errors.filter((one) => !one.hidden).length} of ${errors.length} shown`;
  };
  const paper = location.hash.slice(1), papers = boxes.filter((box) => box.name === "paper");
  if (papers.some((box) => box.value === paper)) for (const box of papers) box.checked = box.value === paper;
  form.addEventListener("change", show);
  show();
};
addEventListener("hashchange", choose);
choose();
