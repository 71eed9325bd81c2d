"""The statements of the smallest paper that can be registered."""

ROW = '[paper]\nkey = "ME"\n[[row]]\nid = "ME:L1"\nwhere = "Lemma 1"\n'
ROW += 'kind = "INT"\nsays = "x"\nprinted = "x"\n'
