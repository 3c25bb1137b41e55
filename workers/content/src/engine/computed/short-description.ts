export const maxShortDescription = 200;

const marked = /[*_`[\]<>#|{}~\\\n\r]|\b\w+:\/\//;

/** Whether a description is one line of plain text: it then is the page's own; else it stands at the top of the text. */
export const isShort = (description: string): boolean =>
  description !== '' && description.length <= maxShortDescription && !marked.test(description);
