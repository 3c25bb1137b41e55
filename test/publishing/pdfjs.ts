// pdf.js refers to canvas classes when it is imported. They are not installed, because tests read PDFs without drawing
// them.
for (const name of ['DOMMatrix', 'ImageData', 'Path2D'])
  if (!Reflect.has(globalThis, name)) Reflect.set(globalThis, name, class {});

export const { getDocument, OPS, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
