import { WorkerEntrypoint } from 'cloudflare:workers';
import { meteredService } from '@octavo/runtime';
import type { PublishingService as Service } from '@octavo/schema';
import type { PublishingEnvironment } from './environment.ts';
import { requestPdf } from './pdfs/pdfs.ts';

export const PublishingService = meteredService<Service, PublishingEnvironment>(WorkerEntrypoint, { requestPdf });
