import { IntegrationName, IntegrationVisibility, integrations } from '@octavo/schema';
import * as z from 'zod';

const {
  script: _script,
  icon: _icon,
  previewImages: _images,
  organization,
  ...published
} = integrations.publishIntegration.body.shape;

const FileName = z.string().min(1).max(4096);

/** What may differ from one server to another. */
const chosen = {
  organization: organization.optional(),
  visibility: IntegrationVisibility.optional(),
  secrets: published.secrets,
};

const fields = {
  ...published,
  ...chosen,
  name: IntegrationName,
  description: published.description.default(''),
  script: FileName,
  icon: FileName.optional(),
  previewImages: z.array(FileName).max(3).default([]),
  envs: z.record(z.string(), z.object(chosen)).default({}),
};

/** What stands in a manifest: the fields of publishing, with names of files for what is read from them. */
export const IntegrationManifest = z.strictObject(fields);
export type IntegrationManifest = z.infer<typeof IntegrationManifest>;

/** The same, with whatever else stands in a manifest that was written for another platform left aside. */
export const ForeignManifest = z.object(fields);
