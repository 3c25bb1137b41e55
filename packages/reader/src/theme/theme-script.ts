/** Sets the theme that the reader has chosen before anything is drawn. It stands in the page, whose policy names its hash. */
export const themeScript =
  "try{const t=localStorage.getItem('octavo-theme');if(t)document.documentElement.dataset.theme=t}catch{}";
