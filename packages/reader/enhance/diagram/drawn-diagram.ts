/** What a diagram is drawn in: colours as CSS has them, of the page around it. */
export interface DiagramLook {
  isDark: boolean;
  font: string;
  page: string;
  surface: string;
  text: string;
  muted: string;
  border: string;
  primary: string;
  ground: string;
}

/** What is sent to the frame, with a port for the answer. */
export interface DiagramRequest {
  source: string;
  look: DiagramLook;
}

/** A diagram as an image; without `svg` where it cannot be drawn. */
export interface DrawnDiagram {
  svg?: string;
  /** What it says of itself. */
  title?: string;
  /** What is written in it. */
  words?: string;
}
