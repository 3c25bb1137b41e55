import type { JsonObject } from '@octavo/specification';
import { getOwn, isObject, resolveLocal, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { ShownNode } from '../document.ts';
import type { PageDrawing } from '../drawing.ts';
import { hrefOf } from '../drawing.ts';
import { safeAddress } from '../view.ts';
import type { OperationDrawing } from './drawn-reference.tsx';
import { Prose, Section, wordsOf } from './drawn-reference.tsx';
import { Field, Media, Parameters, RequestBody } from './fields.tsx';
import { isLongSummary } from './parts.ts';
import type { CodeSample, SchemeOfSecurity } from './request.ts';
import { codeSamplesOf, securityOf, serversOf, testOriginsOf } from './request.ts';
import type { SampleDirection } from './schema.ts';
import { examplesOf, mediaOf, objectIn } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

const maxPath = 500;

/** Inserts line-break opportunities after the slashes of a URL. */
const broken = (address: string): ComponentChildren =>
  address.split(/(?<=\/)(?!\/)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));

/** The path with its parameters highlighted. */
const Path = ({ path }: { path: string }): ComponentChildren =>
  path
    .slice(0, maxPath)
    .split(/(\{[^{}]*\})/)
    .map((part) => (part.startsWith('{') ? <var>{part}</var> : broken(part)));

function Endpoint({ from }: { from: OperationDrawing }): ComponentChildren {
  const { method, name, kind } = from.part;
  const [server] = kind === 'operation' ? serversOf(from.document, from.part) : [];
  return (
    <p class="endpoint">
      <span class={`method ${method}`}>{method}</span>
      <code>
        {server !== undefined && <span class="server">{broken(server.url)}</span>}
        <Path path={name} />
      </code>
    </p>
  );
}

/** All servers but the first, which is part of the shown URL. */
function Servers({ from }: { from: OperationDrawing }): ComponentChildren {
  const servers = from.part.kind === 'operation' ? serversOf(from.document, from.part) : [];
  if (servers.length < 2) return null;
  return (
    <details class="within">
      <summary>{from.texts.servers}</summary>
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

const isHidden = (value: JsonObject): boolean => getOwn(value, 'x-hideTryItPanel') === true;

/** A button that opens the page for testing the operation. It needs scripts. */
function TestButton({ from }: { from: OperationDrawing }): ComponentChildren {
  const { at, part, document, of, texts } = from;
  const canBeTested = testOriginsOf(serversOf(document, part)).length > 0;
  if (part.kind !== 'operation' || !canBeTested || isHidden(part.operation) || isHidden(document)) return null;
  const query = new URLSearchParams({ spec: of.spec, method: part.method, path: part.name });
  return (
    <test-request class="test" data-href={hrefOf(at.view, `${at.view.base}~/test?${query}`)} data-label={texts.test} />
  );
}

/** An operation or a webhook: its parameters and bodies, with examples next to them. */
export function Operation({ from }: { from: OperationDrawing }): ComponentChildren {
  const { part, at, texts, budget } = from;
  const { operation, kind } = part;
  const description = textAt(operation, 'description') ?? textAt(part.item, 'description');
  const summary = textAt(operation, 'summary') ?? '';
  const isSaid = at.view.page.layout.description && description?.trim() === at.view.page.description?.trim();
  return (
    <div class="operation">
      <div>
        <Endpoint from={from} />
        {getOwn(operation, 'deprecated') === true && <p class="hint warning">{texts.isDeprecated}</p>}
        {isLongSummary(summary) && <Prose text={summary} from={{ at, budget }} />}
        {!isSaid && <Prose text={description} from={{ at, budget }} />}
        <Servers from={from} />
        {kind === 'operation' && <Authentication from={from} />}
        <Parameters from={from} />
        <RequestBody from={from} />
        <Responses from={from} />
      </div>
      <aside class="aside" aria-label={`${texts.samples}: ${from.of.title}`}>
        <TestButton from={from} />
        {kind === 'operation' && <CodeTabs at={at} label={texts.request} samples={codeSamplesOf(from)} />}
        <RequestExamples from={from} />
        <ResponseExamples from={from} />
      </aside>
    </div>
  );
}

/** Describes in words how a credential is sent. */
function Said({ scheme, texts }: { scheme: JsonObject; texts: ReferenceTexts }): ComponentChildren {
  const [type, name, place] = [textAt(scheme, 'type'), textAt(scheme, 'name'), textAt(scheme, 'in')];
  const kind = textAt(scheme, 'scheme')?.toLowerCase();
  if (type === 'apiKey') {
    const words = { query: texts.keyInQuery, cookie: texts.keyInCookie }[place ?? ''] ?? texts.keyInHeader;
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

const Address = ({ to }: { to: string | undefined }): ComponentChildren => {
  const href = safeAddress(to);
  return href === undefined || !/^https?:/i.test(href) ? null : <a href={href}>{href}</a>;
};

function Flows({ scheme }: { scheme: JsonObject }): ComponentChildren {
  const flows = Object.keys(objectIn(scheme, 'flows')).slice(0, 4);
  return flows.map((name) => {
    const flow = objectIn(objectIn(scheme, 'flows'), name);
    return (
      <li>
        <code>{name}</code> <Address to={textAt(flow, 'authorizationUrl')} /> <Address to={textAt(flow, 'tokenUrl')} />
      </li>
    );
  });
}

const maxScopes = 50;

function Scheme({ from, of: { scheme, scopes } }: { from: OperationDrawing; of: SchemeOfSecurity }): ComponentChildren {
  const { texts } = from;
  return (
    <>
      <p>
        <Said scheme={scheme} texts={texts} /> <Address to={textAt(scheme, 'openIdConnectUrl')} />
      </p>
      <Prose text={textAt(scheme, 'description')} from={from} />
      {Object.keys(objectIn(scheme, 'flows')).length > 0 && (
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
function Authentication({ from }: { from: OperationDrawing }): ComponentChildren {
  const ways = securityOf(from.document, from.part);
  if (ways.every((way) => way.length === 0)) return null;
  return (
    <Section from={from} name="authentication" title={from.texts.authentication}>
      {ways.map((way, index) => (
        <div class="way">
          {index > 0 && <p class="label">{from.texts.or}</p>}
          {way.length === 0 ? <p>{from.texts.nothing}</p> : way.map((each) => <Scheme from={from} of={each} />)}
        </div>
      ))}
    </Section>
  );
}

/** A response with its status: a number, `4XX` or `default`. */
interface ResponseOfOperation {
  status: string;
  response: JsonObject;
}

const maxResponses = 40;

export const responsesOf = (document: JsonObject, operation: JsonObject): ResponseOfOperation[] =>
  Object.entries(objectIn(operation, 'responses'))
    .filter(([status]) => !status.startsWith('x-'))
    .slice(0, maxResponses)
    .flatMap(([status, given]) => {
      const response = resolveLocal(document, given);
      return isObject(response) ? [{ status, response }] : [];
    });

const kindOf = (status: string): string =>
  ({ '2': 'success', '3': 'info', '4': 'warning', '5': 'danger' })[status.charAt(0)] ?? 'info';

function Headers({ from, response }: { from: OperationDrawing; response: JsonObject }): ComponentChildren {
  const headers = Object.entries(objectIn(response, 'headers')).filter(() => from.budget.take('rows'));
  if (headers.length === 0) return null;
  return (
    <>
      <p class="label">{from.texts.header}</p>
      <ul class="fields">
        {headers.map(([name, given]) => {
          const header = resolveLocal(from.document, given);
          const value = isObject(header) ? header : {};
          return (
            <Field
              from={from}
              name={name}
              schema={from.schemas.read(getOwn(value, 'schema'))}
              direction="response"
              isRequired={getOwn(value, 'required') === true}
              description={textAt(value, 'description')}
            />
          );
        })}
      </ul>
    </>
  );
}

/** The responses of an operation. Successful ones are expanded. */
function Responses({ from }: { from: OperationDrawing }): ComponentChildren {
  const responses = responsesOf(from.document, from.part.operation);
  if (responses.length === 0) return null;
  const first = responses.findIndex(({ status }) => status.startsWith('2'));
  return (
    <Section from={from} name="responses" title={from.texts.responses}>
      {responses.map(({ status, response }, index) => (
        <Response from={from} status={status} response={response} isOpen={index === first} />
      ))}
    </Section>
  );
}

interface Props extends ResponseOfOperation {
  from: OperationDrawing;
  isOpen: boolean;
}

function Response({ from, status, response, isOpen }: Props): ComponentChildren {
  const description = textAt(response, 'description');
  const media = mediaOf(response);
  const isShort = description === undefined || (description.length < 120 && !description.trim().includes('\n'));
  const hasMore = !isShort || media.length > 0 || Object.keys(objectIn(response, 'headers')).length > 0;
  const summary = (
    <>
      <span class={`status ${kindOf(status)}`}>{status}</span>
      {isShort && description !== undefined && <span class="status-text">{wordsOf(description)}</span>}
    </>
  );
  if (!hasMore) return <p class="response">{summary}</p>;
  return (
    <details class="response" open={isOpen}>
      <summary>{summary}</summary>
      <div>
        {!isShort && <Prose text={description} from={from} />}
        <Headers from={from} response={response} />
        <Media from={from} media={media} direction="response" />
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
function samplesOf({ schemas }: OperationDrawing, { body, direction, title }: Bodies): CodeSample[] {
  const media = mediaOf(body);
  return media.flatMap((each, index) =>
    examplesOf(schemas, each, direction).map(({ title: own, text, syntax }) => {
      const type = media.length > 1 && (index > 0 || title === undefined) ? each.type : undefined;
      const parts = [title, type, own].filter((part) => part !== undefined);
      return { title: (parts.length === 0 ? each.type : parts.join(' · ')).slice(0, 80), text, syntax };
    }),
  );
}

const fitting = ({ budget }: OperationDrawing, samples: CodeSample[]): CodeSample[] =>
  samples.slice(0, maxShown).filter(({ text }) => budget.take('code', Math.min(text.length, 12_000)));

/** Examples of the request body, if there are several. A single one is part of the code sample. */
function RequestExamples({ from }: { from: OperationDrawing }): ComponentChildren {
  const body = resolveLocal(from.document, getOwn(from.part.operation, 'requestBody'));
  const samples = isObject(body) ? samplesOf(from, { body, direction: 'request', title: undefined }) : [];
  if (samples.length < (from.part.kind === 'webhook' ? 1 : 2)) return null;
  const label = from.part.kind === 'webhook' ? from.texts.payload : from.texts.body;
  return <CodeTabs at={from.at} label={label} samples={fitting(from, samples)} />;
}

/** Example responses by status. */
function ResponseExamples({ from }: { from: OperationDrawing }): ComponentChildren {
  const samples = responsesOf(from.document, from.part.operation).flatMap(({ status, response }) =>
    samplesOf(from, { body: response, direction: 'response', title: status }),
  );
  return <CodeTabs at={from.at} label={from.texts.response} samples={fitting(from, samples)} />;
}

const maxLength = 12_000;

/** Returns a code sample as a code block of a document. */
const codeNode = ({ syntax, text }: CodeSample): ShownNode => ({
  ...{ object: 'block', type: 'code', data: { syntax } },
  nodes: (text.length > maxLength ? `${text.slice(0, maxLength)}\n…` : text).split('\n').map((line) => ({
    ...{ object: 'block', type: 'code-line' },
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: line, marks: [] }] }],
  })),
});

/** Code samples as tabs. */
function CodeTabs({
  at,
  label,
  samples,
}: {
  at: PageDrawing;
  label: string;
  samples: CodeSample[];
}): ComponentChildren {
  if (samples.length === 0) return null;
  const tabs: ShownNode = {
    ...{ object: 'block', type: 'tabs' },
    nodes: samples.map((sample) => ({
      ...{ object: 'block', type: 'tabs-item', data: { title: sample.title } },
      nodes: [codeNode(sample)],
    })),
  };
  return (
    <div class="samples">
      <p class="label">{label}</p>
      {at.blocks([tabs])}
    </div>
  );
}
