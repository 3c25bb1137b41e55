import { WorkerEntrypoint } from 'cloudflare:workers';
import type { PdfSource, PrintedBook, PrintedPdf, ReadSpecification, RenderService } from '@octavo/schema';
import type { RenderEnvironment } from './environment.ts';
import { printBook } from './print-book.ts';
import { readText } from './read-text.ts';

let runningCalls = 0;

async function countCall<Result>(call: Promise<Result>): Promise<Result> {
  runningCalls += 1;
  try {
    return await call;
  } finally {
    runningCalls -= 1;
  }
}

export default class Render extends WorkerEntrypoint<RenderEnvironment> implements RenderService {
  /** Returns the number of running calls. On one machine, Node.js ends this process when the number stays at 0. */
  override fetch(): Response {
    return new Response(String(runningCalls));
  }

  renderPdf(book: PrintedBook, source: PdfSource): Promise<PrintedPdf> {
    return countCall(printBook(book, source, this.env));
  }

  readSpecification(text: Uint8Array): Promise<ReadSpecification> {
    return countCall(readText(text));
  }
}
