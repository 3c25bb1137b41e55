/** Colors and font of a diagram, as CSS values taken from the surrounding page. */
export interface DiagramTheme {
  isDark: boolean;
  font: string;
  page: string;
  surface: string;
  text: string;
  muted: string;
  border: string;
  primary: string;
  background: string;
}

/** Request sent to the frame, together with a port for the response. */
export interface DiagramRequest {
  source: string;
  theme: DiagramTheme;
}

/** A diagram as an image. `svg` is absent if it cannot be drawn. */
export interface RenderedDiagram {
  svg?: string;
  /** The diagram's own title. */
  title?: string;
  /** The text in the diagram. */
  words?: string;
}
