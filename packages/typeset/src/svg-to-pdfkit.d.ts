declare module 'svg-to-pdfkit' {
  import type { Pdf } from './pdfkit.ts';

  /** Draws an SVG on a page of a PDF. */
  export default function SVGtoPDF(pdf: Pdf, svg: string, x: number, y: number, options: Record<string, unknown>): void;
}
