import type { Handler } from '@octavo/runtime';
import { parseStrictJson } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { invalid, RenderRequest } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { decompress } from './decompress.ts';
import { renderIntegration } from './render-integration.ts';

const maxCharacters = 1_000_000;
const place = 'query.request';

const wrong = (message: string) => invalid([{ path: place, message }]);

/** What the address asks for. @throws ApiError invalid */
function requestOf(compressed: string): RenderRequest {
  const { success, data, error } = RenderRequest.safeParse(parseStrictJson(textOf(compressed), place));
  if (success) return data;
  const [issue] = error.issues;
  throw wrong(`asks for what is no component: ${issue?.path.join('.')} ${issue?.message}`);
}

function textOf(compressed: string): string {
  try {
    return decompress(compressed, maxCharacters);
  } catch {
    throw wrong('must be JSON, compressed by LZ-string for addresses');
  }
}

export const renderIntegrationUIWithGet: Handler<
  typeof integrations.renderIntegrationUIWithGet,
  IntegrationsEnvironment
> = ({ query: { request } }, context) => renderIntegration(requestOf(request), context);
