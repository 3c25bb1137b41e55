import { type JsonObject, ownOf, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { hrefOf } from '../drawing.ts';
import { Authentication } from './authentication.tsx';
import { RequestBody } from './body.tsx';
import { codeSamplesOf } from './code-samples.ts';
import { CodeTabs } from './code-tabs.tsx';
import type { OperationDrawing } from './drawn-reference.ts';
import { RequestExamples, ResponseExamples } from './examples.tsx';
import { Parameters } from './parameters.tsx';
import { Prose } from './prose.tsx';
import { isLongSummary } from './read-parts.ts';
import { Responses } from './responses.tsx';
import { serversOf, testOriginsOf } from './servers.ts';

const maxPath = 500;

/** An address that breaks after its slashes. */
const broken = (address: string): ComponentChildren =>
  address.split(/(?<=\/)(?!\/)/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));

/** The path with its parameters marked. */
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

/** Servers beside the first, which stands in the address. */
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

const isHidden = (value: JsonObject): boolean => ownOf(value, 'x-hideTryItPanel') === true;

/** The way to the page on which the operation is tried, where scripts run. */
function TestButton({ from }: { from: OperationDrawing }): ComponentChildren {
  const { at, part, document, of, texts } = from;
  const canBeTested = testOriginsOf(serversOf(document, part)).length > 0;
  if (part.kind !== 'operation' || !canBeTested || isHidden(part.operation) || isHidden(document)) return null;
  const query = new URLSearchParams({ spec: of.spec, method: part.method, path: part.name });
  return (
    <test-request class="test" data-href={hrefOf(at.view, `${at.view.base}~/test?${query}`)} data-label={texts.test} />
  );
}

/** An operation as it is called, or what a webhook sends: what it takes on one side, and how that looks on the other. */
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
        {ownOf(operation, 'deprecated') === true && <p class="hint warning">{texts.isDeprecated}</p>}
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
