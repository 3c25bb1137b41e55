// pdf.js refers to what draws when it is loaded, and what draws is not installed: tests read PDFs and draw none.
for (const name of ['DOMMatrix', 'ImageData', 'Path2D'])
  if (!Reflect.has(globalThis, name)) Reflect.set(globalThis, name, class {});

export const { getDocument, OPS, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
