/** A page that a link can refer to. `target` is the address that is written into the Markdown. */
export interface PageSuggestion {
  title: string;
  target: string;
  /** The location of the page, for example its path. */
  location?: string;
}

/** Uploads an image or another file. Returns the address that is written into the Markdown. */
export type Upload = (file: File, reportProgress: (fraction: number) => void) => Promise<string>;

export interface EditorOptions {
  /** The Markdown of the page. */
  markdown: string;
  /** The title that is shown above the text. A first heading that repeats it is not shown, as on the published page. */
  title?: string | undefined;
  /** The name of the text field for screen readers. */
  label?: string;
  /** A hint that is shown while the text is empty. */
  placeholder?: string;
  /** Is called after each change. */
  onChange?: () => void;
  /** Is called with the position of the block that contains the cursor, when it has changed. */
  onBlock?: (block: number) => void;
  upload?: Upload;
  /** Is called when the first running upload starts and when the last one ends. */
  onUploading?: (isUploading: boolean) => void;
  searchPages?: (query: string) => Promise<PageSuggestion[]>;
  /** Lists the reusable content that the page can include. Without this function, users enter its address. */
  listReusableContent?: () => Promise<Pick<PageSuggestion, 'title' | 'target'>[]>;
  /**
   * Asks for the title of new reusable content, and also for its text if no Markdown is given. Returns its address, or
   * undefined if the user cancels.
   */
  createReusableContent?: ((markdown?: string) => Promise<string | undefined>) | undefined;
  /** Returns an address that refers to the same target from any text, for example from reusable content. */
  toStableTarget?: ((target: string) => string) | undefined;
  /** Returns the name of a file and details such as its size; undefined if only its address is known. */
  describeFile?: ((target: string) => { name: string; detail: string } | undefined) | undefined;
  /** Returns the download address of an image; undefined if the image cannot be shown. */
  resolveImage?: (target: string) => string | undefined;
}
