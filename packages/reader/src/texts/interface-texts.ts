/** The words of the interface of a page. */
export interface InterfaceTexts {
  skip: string;
  pages: string;
  menu: string;
  sections: string;
  variants: string;
  breadcrumbs: string;
  outline: string;
  search: string;
  searchPlaceholder: string;
  results: string;
  noResults: string;
  previous: string;
  next: string;
  neighbours: string;
  updated: string;
  theme: string;
  copy: string;
  copied: string;
  missing: string;
  missingText: string;
  home: string;
  below: string;
  actions: string;
  copyPage: string;
  viewMarkdown: string;
  /** With `{name}` for what the page is opened in. */
  openIn: string;
  copyMcp: string;
  pdfPage: string;
  pdfAll: string;
  pdfWaiting: string;
  pdfWaitingText: string;
  pdfTooLarge: string;
  pdfFailed: string;
  madeWith: string;
  privacy: string;
  /** What opens the links of the header that have no room in it. */
  more: string;
  done: string;
  open: string;
  enlarge: string;
  close: string;
  loadFrom: string;
  diagram: string;
  allLines: string;
  fewerLines: string;
  note: string;
  table: string;
  prompt: string;
  /** What kind of remark a hint is, for who does not see its colour. */
  info: string;
  success: string;
  warning: string;
  danger: string;
}
