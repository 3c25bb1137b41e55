import { WorkerEntrypoint } from 'cloudflare:workers';
import { metered } from '@octavo/runtime';
import type { Metered, PdfExport, PdfRequest, PublishingService as Promised } from '@octavo/schema';
import type { PublishingEnvironment } from './environment.ts';
import { requestPdf } from './pdfs/request-pdf.ts';

export class PublishingService extends WorkerEntrypoint<PublishingEnvironment> implements Promised {
  async requestPdf(request: PdfRequest): Promise<Metered<PdfExport>> {
    return metered(this.env, ({ db }) => requestPdf(request, { db, env: this.env, background: this.ctx }));
  }
}
