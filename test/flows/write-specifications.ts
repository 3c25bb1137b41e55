import type { TestOrganization } from '../support/platform.ts';
import type { Writer } from './walk-beyond.ts';

/** Calls all write operations of OpenAPI specifications. */
export async function writeSpecifications(writer: Writer, { id }: TestOrganization): Promise<void> {
  const source = { text: '{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": {}}' };
  const ids = { organizationId: id, specSlug: 'pets' };
  await writer.send('createOpenAPISpec', ids, { body: { slug: ids.specSlug, source } });
  await writer.send('createOrUpdateOpenAPISpecBySlug', ids, { body: { source } });
  await writer.send('updateOpenAPISpecBySlug', ids, { body: { visibility: 'public' } });
  await writer.send('deleteOpenAPISpecBySlug', ids);
}
