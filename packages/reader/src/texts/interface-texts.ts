/** The texts of a site's interface in one language. */
export interface InterfaceTexts {
  skip: string;
  pages: string;
  menu: string;
  sections: string;
  variants: string;
  breadcrumbs: string;
  outline: string;
  search: string;
  /** `{query}` is the search text. */
  results: string;
  allResults: string;
  /** `{query}` is the search text. */
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
  /** Label of a menu with subpages; `{title}` is the title of their parent. */
  below: string;
  actions: string;
  copyPage: string;
  viewMarkdown: string;
  /** `{name}` is the name of an assistant. */
  openIn: string;
  copyMcp: string;
  pdfPage: string;
  pdfAll: string;
  pdfWaiting: string;
  pdfWaitingText: string;
  pdfTooLarge: string;
  pdfFailed: string;
  /** `{name}` is the name of the product. */
  madeWith: string;
  privacy: string;
  /** Opens the links that do not fit in the header. */
  more: string;
  done: string;
  open: string;
  enlarge: string;
  close: string;
  /** Label of the button that loads a video or audio player; `{site}` is its provider. */
  playOn: string;
  /** Label of the button that loads other embedded content; `{site}` is its provider. */
  loadFrom: string;
  diagram: string;
  allLines: string;
  fewerLines: string;
  note: string;
  table: string;
  prompt: string;
  /** The styles of hints, for readers who cannot see their colors. */
  info: string;
  success: string;
  warning: string;
  danger: string;
  /** The title of a preview of a revision. */
  preview: string;
  /** `{number}` is the number of the change request. */
  previewOf: string;
  /** `{count}` is the number of changed pages. */
  changedPages: string;
  /** The kinds of changes to a page. */
  added: string;
  edited: string;
  moved: string;
  deleted: string;
  exitPreview: string;
  editPage: string;
  feedback: string;
  /** The ratings that a reader can choose. */
  feedbackGood: string;
  feedbackOk: string;
  feedbackBad: string;
  feedbackThanks: string;
}
