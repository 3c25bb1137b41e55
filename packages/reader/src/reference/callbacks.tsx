import type { JsonObject } from '@octavo/specification';
import { getOwnProperty, getTextAt, isObject, methods, resolveLocal } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { Media } from './fields.tsx';
import type { OperationContext } from './reference-context.tsx';
import { Prose, Section } from './reference-context.tsx';
import { getMedia, getObject, toText } from './schema.ts';

/** A request that the API sends to the caller. */
interface Callback {
  name: string;
  method: string;
  /** An expression for the URL, such as `{$request.body#/callbackUrl}`. */
  url: string;
  operation: JsonObject;
}

const maxCallbacks = 20;
const maxUrlLength = 500;

/** Returns the callbacks of an operation. */
export const readCallbacks = (document: JsonObject, operation: JsonObject): Callback[] =>
  Object.entries(getObject(operation, 'callbacks'))
    .slice(0, maxCallbacks)
    .flatMap(([name, value]) => {
      const urls = resolveLocal(document, value);
      return Object.entries(isObject(urls) ? urls : {}).flatMap(([url, given]) => {
        const item = resolveLocal(document, given);
        if (!isObject(item) || url.startsWith('x-')) return [];
        return methods.flatMap((method): Callback[] => {
          const called = getOwnProperty(item, method);
          return isObject(called) ? [{ name, method, url, operation: called }] : [];
        });
      });
    })
    .slice(0, maxCallbacks);

/** The requests that the API sends after an operation. */
export function Callbacks({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const callbacks = readCallbacks(apiContext.document, apiContext.part.operation);
  const shown = callbacks.filter(() => apiContext.budget.spend('rows'));
  if (shown.length === 0) return null;
  return (
    <Section apiContext={apiContext} name="callbacks" title={apiContext.texts.callbacks}>
      {shown.map((callback) => (
        <CallbackDetails apiContext={apiContext} callback={callback} />
      ))}
    </Section>
  );
}

function CallbackDetails({
  apiContext,
  callback: { name, method, url, operation },
}: {
  apiContext: OperationContext;
  callback: Callback;
}): ComponentChildren {
  const body = resolveLocal(apiContext.document, getOwnProperty(operation, 'requestBody'));
  const summary = getTextAt(operation, 'summary');
  return (
    <details class="within">
      <summary>
        {summary ?? name} <code>{`${method.toUpperCase()} ${url.slice(0, maxUrlLength)}`}</code>
      </summary>
      <Prose text={getTextAt(operation, 'description')} apiContext={apiContext} />
      {isObject(body) && (
        <>
          <Prose text={getTextAt(body, 'description')} apiContext={apiContext} />
          <Media apiContext={apiContext} media={getMedia(body)} direction="request" />
        </>
      )}
    </details>
  );
}

/** The operations that a response's values can be passed to. */
export function Links({
  apiContext,
  response,
}: {
  apiContext: OperationContext;
  response: JsonObject;
}): ComponentChildren {
  const links = Object.entries(getObject(response, 'links')).filter(() => apiContext.budget.spend('rows'));
  if (links.length === 0) return null;
  return (
    <>
      <p class="label">{apiContext.texts.links}</p>
      <ul class="constraints">
        {links.map(([name, given]) => {
          const resolvedCallback = resolveLocal(apiContext.document, given);
          const link = isObject(resolvedCallback) ? resolvedCallback : {};
          const target = getTextAt(link, 'operationId') ?? getTextAt(link, 'operationRef');
          return (
            <li>
              <span>{name}</span> {target !== undefined && <code>{target.slice(0, maxUrlLength)}</code>}{' '}
              {Object.entries(getObject(link, 'parameters')).map(([parameter, value]) => (
                <>
                  <code>{`${parameter}: ${toText(value)}`.slice(0, maxUrlLength)}</code>{' '}
                </>
              ))}
              <Prose text={getTextAt(link, 'description')} apiContext={apiContext} />
            </li>
          );
        })}
      </ul>
    </>
  );
}
