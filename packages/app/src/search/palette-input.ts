/** The input of the command palette, which its results receive when their code is loaded. */
export interface ResultsListProps {
  id: string;
  words: string;
  /** Whether the user has pressed Enter, possibly before the results of the typed text arrive. */
  isOpening: boolean;
  setOpening: (isOpening: boolean) => void;
  /** Receives the element id of the selected result. */
  setActive: (id: string | undefined) => void;
  /** Receives the function that selects the next or the previous result. */
  select: { current: ((step: 1 | -1) => void) | undefined };
  close: () => void;
}
