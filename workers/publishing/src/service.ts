import { WorkerEntrypoint } from 'cloudflare:workers';
import { createMeteredService } from '@octavo/runtime';
import type { PublishingService as Service } from '@octavo/schema';
import type { PublishingEnvironment } from './environment.ts';
import { requestPdf } from './pdfs/pdfs.ts';

export const PublishingService = createMeteredService<Service, PublishingEnvironment>(WorkerEntrypoint, {
  reads: {},
  writes: { requestPdf },
});
