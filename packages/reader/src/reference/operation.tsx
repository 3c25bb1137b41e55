import type { JsonObject } from '@octavo/specification';
import { getOwnProperty, getTextAt, isObject, resolveLocal } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { RenderContext } from '../context.ts';
import { toHref } from '../context.ts';
import type { PageNode } from '../document.ts';
import { toSafeAddress } from '../view.ts';
import { Callbacks, Links } from './callbacks.tsx';
import { Field, Media, Parameters, RequestBody } from './fields.tsx';
import { isLongSummary } from './parts.ts';
import type { OperationContext } from './reference-context.tsx';
import { Prose, Section, toPlainDescription } from './reference-context.tsx';
import type { CodeSample, SecurityScheme } from './request.ts';
import { getCodeSamples, getTestOrigins, readSecurity, readServers } from './request.ts';
import type { SampleDirection } from './samples.ts';
import { getExamples } from './samples.ts';
import { getMedia, getObject } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

const maxPath = 500;

/** Inserts line-break opportunities after the slashes of a URL. */
const addBreaks = (address: string): ComponentChildren =>
  address.split(/(?<=\/)(?!\/)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));

/** The path with its parameters highlighted. */
const Path = ({ path }: { path: string }): ComponentChildren =>
  path
    .slice(0, maxPath)
    .split(/(\{[^{}]*\})/)
    .map((part) => (part.startsWith('{') ? <var>{part}</var> : addBreaks(part)));

function Endpoint({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const { method, name, kind } = apiContext.part;
  const [server] = kind === 'operation' ? readServers(apiContext.document, apiContext.part) : [];
  return (
    <p class="endpoint">
      <span class={`method ${method}`}>{method}</span>
      <code>
        {server !== undefined && <span class="server">{addBreaks(server.url)}</span>}
        <Path path={name} />
      </code>
    </p>
  );
}

/** All servers but the first, which is part of the shown URL. */
function Servers({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const servers = apiContext.part.kind === 'operation' ? readServers(apiContext.document, apiContext.part) : [];
  if (servers.length < 2) return null;
  return (
    <details class="within">
      <summary>{apiContext.texts.servers}</summary>
      <ul class="constraints">
        {servers.map(({ url, description }) => (
          <li>
            <code>{url}</code> {description}
          </li>
        ))}
      </ul>
    </details>
  );
}

const isHidden = (value: JsonObject): boolean => getOwnProperty(value, 'x-hideTryItPanel') === true;

/** A button that opens the page for testing the operation. It needs scripts. */
function TestButton({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const { context, part, document, reference, texts } = apiContext;
  const canBeTested = getTestOrigins(readServers(document, part)).length > 0;
  if (part.kind !== 'operation' || !canBeTested || isHidden(part.operation) || isHidden(document)) return null;
  const query = new URLSearchParams({ spec: reference.spec, method: part.method, path: part.name });
  return (
    <test-request
      class="test"
      data-href={toHref(context.view, `${context.view.base}~/test?${query}`)}
      data-label={texts.test}
    />
  );
}

/** An operation or a webhook: its parameters and bodies, with examples next to them. */
export function Operation({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const { part, context, texts, budget } = apiContext;
  const { operation, kind } = part;
  const description = getTextAt(operation, 'description') ?? getTextAt(part.item, 'description');
  const summary = getTextAt(operation, 'summary') ?? '';
  const isDescriptionShown =
    context.view.page.layout.description && description?.trim() === context.view.page.description?.trim();
  return (
    <div class="operation">
      <div>
        <Endpoint apiContext={apiContext} />
        {getOwnProperty(operation, 'deprecated') === true && <p class="hint warning">{texts.isDeprecated}</p>}
        {isLongSummary(summary) && <Prose text={summary} apiContext={{ context, budget }} />}
        {!isDescriptionShown && <Prose text={description} apiContext={{ context, budget }} />}
        <Servers apiContext={apiContext} />
        {kind === 'operation' && <Authentication apiContext={apiContext} />}
        <Parameters apiContext={apiContext} />
        <RequestBody apiContext={apiContext} />
        <Responses apiContext={apiContext} />
        <Callbacks apiContext={apiContext} />
      </div>
      <aside class="aside" aria-label={`${texts.samples}: ${apiContext.reference.title}`}>
        <TestButton apiContext={apiContext} />
        {kind === 'operation' && (
          <CodeTabs context={context} label={texts.request} samples={getCodeSamples(apiContext)} />
        )}
        <RequestExamples apiContext={apiContext} />
        <ResponseExamples apiContext={apiContext} />
      </aside>
    </div>
  );
}

/** Describes in words how a credential is sent. */
function CredentialLocation({ scheme, texts }: { scheme: JsonObject; texts: ReferenceTexts }): ComponentChildren {
  const [type, name, location] = [getTextAt(scheme, 'type'), getTextAt(scheme, 'name'), getTextAt(scheme, 'in')];
  const kind = getTextAt(scheme, 'scheme')?.toLowerCase();
  if (type === 'apiKey') {
    const words = { query: texts.keyInQuery, cookie: texts.keyInCookie }[location ?? ''] ?? texts.keyInHeader;
    return (
      <>
        {words} <code>{name}</code>
      </>
    );
  }
  if (type === 'http' && (kind === 'basic' || kind === 'bearer'))
    return (
      <>
        {kind === 'basic' ? texts.basic : texts.bearer} <code>Authorization</code>
      </>
    );
  if (type === 'http')
    return (
      <>
        {texts.keyInHeader} <code>{`Authorization: ${kind ?? ''}`}</code>
      </>
    );
  if (type === 'oauth2') return 'OAuth 2.0';
  if (type === 'openIdConnect') return 'OpenID Connect';
  return type === 'mutualTLS' ? texts.certificate : (type ?? '');
}

const FlowUrl = ({ to }: { to: string | undefined }): ComponentChildren => {
  const href = toSafeAddress(to);
  return href === undefined || !/^https?:/i.test(href) ? null : <a href={href}>{href}</a>;
};

function Flows({ scheme }: { scheme: JsonObject }): ComponentChildren {
  const flows = Object.keys(getObject(scheme, 'flows')).slice(0, 4);
  return flows.map((name) => {
    const flow = getObject(getObject(scheme, 'flows'), name);
    return (
      <li>
        <code>{name}</code> <FlowUrl to={getTextAt(flow, 'authorizationUrl')} />{' '}
        <FlowUrl to={getTextAt(flow, 'tokenUrl')} />
      </li>
    );
  });
}

const maxScopes = 50;

function Scheme({
  apiContext,
  scheme: { scheme, scopes },
}: {
  apiContext: OperationContext;
  scheme: SecurityScheme;
}): ComponentChildren {
  const { texts } = apiContext;
  return (
    <>
      <p>
        <CredentialLocation scheme={scheme} texts={texts} /> <FlowUrl to={getTextAt(scheme, 'openIdConnectUrl')} />
      </p>
      <Prose text={getTextAt(scheme, 'description')} apiContext={apiContext} />
      {Object.keys(getObject(scheme, 'flows')).length > 0 && (
        <ul class="constraints">
          <Flows scheme={scheme} />
        </ul>
      )}
      {scopes.length > 0 && (
        <ul class="constraints">
          <li>
            {texts.scopes}{' '}
            {scopes.slice(0, maxScopes).map((scope) => (
              <>
                <code>{scope}</code>{' '}
              </>
            ))}
          </li>
        </ul>
      )}
    </>
  );
}

/** The authentication that an operation requires. */
function Authentication({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const alternatives = readSecurity(apiContext.document, apiContext.part);
  if (alternatives.every((alternative) => alternative.length === 0)) return null;
  return (
    <Section apiContext={apiContext} name="authentication" title={apiContext.texts.authentication}>
      {alternatives.map((alternative, index) => (
        <div class="way">
          {index > 0 && <p class="label">{apiContext.texts.or}</p>}
          {alternative.length === 0 ? (
            <p>{apiContext.texts.nothing}</p>
          ) : (
            alternative.map((each) => <Scheme apiContext={apiContext} scheme={each} />)
          )}
        </div>
      ))}
    </Section>
  );
}

/** A response with its status: a number, `4XX` or `default`. */
interface OperationResponse {
  status: string;
  response: JsonObject;
}

const maxResponses = 40;

export const readResponses = (document: JsonObject, operation: JsonObject): OperationResponse[] =>
  Object.entries(getObject(operation, 'responses'))
    .filter(([status]) => !status.startsWith('x-'))
    .slice(0, maxResponses)
    .flatMap(([status, value]) => {
      const response = resolveLocal(document, value);
      return isObject(response) ? [{ status, response }] : [];
    });

const getStatusClass = (status: string): string =>
  ({ '2': 'success', '3': 'info', '4': 'warning', '5': 'danger' })[status.charAt(0)] ?? 'info';

function Headers({ apiContext, response }: { apiContext: OperationContext; response: JsonObject }): ComponentChildren {
  const headers = Object.entries(getObject(response, 'headers')).filter(() => apiContext.budget.spend('rows'));
  if (headers.length === 0) return null;
  return (
    <>
      <p class="label">{apiContext.texts.header}</p>
      <ul class="fields">
        {headers.map(([name, given]) => {
          const header = resolveLocal(apiContext.document, given);
          const value = isObject(header) ? header : {};
          return (
            <Field
              apiContext={apiContext}
              name={name}
              schema={apiContext.schemas.read(getOwnProperty(value, 'schema'))}
              direction="response"
              isRequired={getOwnProperty(value, 'required') === true}
              description={getTextAt(value, 'description')}
            />
          );
        })}
      </ul>
    </>
  );
}

/** The responses of an operation. Successful ones are expanded. */
function Responses({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const responses = readResponses(apiContext.document, apiContext.part.operation);
  if (responses.length === 0) return null;
  const first = responses.findIndex(({ status }) => status.startsWith('2'));
  return (
    <Section apiContext={apiContext} name="responses" title={apiContext.texts.responses}>
      {responses.map(({ status, response }, index) => (
        <Response apiContext={apiContext} status={status} response={response} isOpen={index === first} />
      ))}
    </Section>
  );
}

interface Props extends OperationResponse {
  apiContext: OperationContext;
  isOpen: boolean;
}

const hasEntries = (value: JsonObject, key: string): boolean => Object.keys(getObject(value, key)).length > 0;

function Response({ apiContext, status, response, isOpen }: Props): ComponentChildren {
  const description = getTextAt(response, 'description');
  const media = getMedia(response);
  const isShort = description === undefined || (description.length < 120 && !description.trim().includes('\n'));
  const hasMore = !isShort || media.length > 0 || ['headers', 'links'].some((key) => hasEntries(response, key));
  const summary = (
    <>
      <span class={`status ${getStatusClass(status)}`}>{status}</span>
      {isShort && description !== undefined && <span class="status-text">{toPlainDescription(description)}</span>}
    </>
  );
  if (!hasMore) return <p class="response">{summary}</p>;
  return (
    <details class="response" open={isOpen}>
      <summary>{summary}</summary>
      <div>
        {!isShort && <Prose text={description} apiContext={apiContext} />}
        <Headers apiContext={apiContext} response={response} />
        <Media apiContext={apiContext} media={media} direction="response" />
        <Links apiContext={apiContext} response={response} />
      </div>
    </details>
  );
}

const maxShown = 10;

interface Bodies {
  body: JsonObject;
  direction: SampleDirection;
  /** Prefix of each title. */
  title: string | undefined;
}

/** Returns the examples of a body in each of its media types. */
function getBodySamples({ schemas }: OperationContext, { body, direction, title }: Bodies): CodeSample[] {
  const media = getMedia(body);
  return media.flatMap((each, index) =>
    getExamples(schemas, each, direction).map(({ title: ownTitle, text, syntax }) => {
      const type = media.length > 1 && (index > 0 || title === undefined) ? each.type : undefined;
      const parts = [title, type, ownTitle].filter((part) => part !== undefined);
      return { title: (parts.length === 0 ? each.type : parts.join(' · ')).slice(0, 80), text, syntax };
    }),
  );
}

const selectSamplesInBudget = ({ budget }: OperationContext, samples: CodeSample[]): CodeSample[] =>
  samples.slice(0, maxShown).filter(({ text }) => budget.spend('code', Math.min(text.length, 12_000)));

/** Examples of the request body, if there are several. A single one is part of the code sample. */
function RequestExamples({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const body = resolveLocal(apiContext.document, getOwnProperty(apiContext.part.operation, 'requestBody'));
  const samples = isObject(body) ? getBodySamples(apiContext, { body, direction: 'request', title: undefined }) : [];
  if (samples.length < (apiContext.part.kind === 'webhook' ? 1 : 2)) return null;
  const label = apiContext.part.kind === 'webhook' ? apiContext.texts.payload : apiContext.texts.body;
  return <CodeTabs context={apiContext.context} label={label} samples={selectSamplesInBudget(apiContext, samples)} />;
}

/** Example responses by status. */
function ResponseExamples({ apiContext }: { apiContext: OperationContext }): ComponentChildren {
  const samples = readResponses(apiContext.document, apiContext.part.operation).flatMap(({ status, response }) =>
    getBodySamples(apiContext, { body: response, direction: 'response', title: status }),
  );
  return (
    <CodeTabs
      context={apiContext.context}
      label={apiContext.texts.response}
      samples={selectSamplesInBudget(apiContext, samples)}
    />
  );
}

const maxLength = 12_000;

/** Returns a code sample as a code block of a document. */
const toCodeBlock = ({ syntax, text }: CodeSample): PageNode => ({
  ...{ object: 'block', type: 'code', data: { syntax } },
  nodes: (text.length > maxLength ? `${text.slice(0, maxLength)}\n…` : text).split('\n').map((line) => ({
    ...{ object: 'block', type: 'code-line' },
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: line, marks: [] }] }],
  })),
});

/** Code samples as tabs. */
function CodeTabs({
  context,
  label,
  samples,
}: {
  context: RenderContext;
  label: string;
  samples: CodeSample[];
}): ComponentChildren {
  if (samples.length === 0) return null;
  const tabs: PageNode = {
    ...{ object: 'block', type: 'tabs' },
    nodes: samples.map((sample) => ({
      ...{ object: 'block', type: 'tabs-item', data: { title: sample.title } },
      nodes: [toCodeBlock(sample)],
    })),
  };
  return (
    <div class="samples">
      <p class="label">{label}</p>
      {context.blocks([tabs])}
    </div>
  );
}
