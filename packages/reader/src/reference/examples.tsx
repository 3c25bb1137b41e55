import { isObject, type JsonObject, ownOf, resolveLocal } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { CodeSample } from './code-samples.ts';
import { CodeTabs } from './code-tabs.tsx';
import type { OperationDrawing } from './drawn-reference.ts';
import { examplesOf, mediaOf } from './media.ts';
import { responsesOf } from './responses.tsx';
import type { SampleDirection } from './sample-value.ts';

const maxShown = 10;

interface Bodies {
  body: JsonObject;
  direction: SampleDirection;
  /** What stands before the title of each. */
  title: string | undefined;
}

/** The examples of a body in each of its media types. */
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

/** Bodies as they are sent, where there are several; of one, the code of the call shows it. */
export function RequestExamples({ from }: { from: OperationDrawing }): ComponentChildren {
  const body = resolveLocal(from.document, ownOf(from.part.operation, 'requestBody'));
  const samples = isObject(body) ? samplesOf(from, { body, direction: 'request', title: undefined }) : [];
  if (samples.length < (from.part.kind === 'webhook' ? 1 : 2)) return null;
  const label = from.part.kind === 'webhook' ? from.texts.payload : from.texts.body;
  return <CodeTabs at={from.at} label={label} samples={fitting(from, samples)} />;
}

/** Answers as they come, by their status. */
export function ResponseExamples({ from }: { from: OperationDrawing }): ComponentChildren {
  const samples = responsesOf(from.document, from.part.operation).flatMap(({ status, response }) =>
    samplesOf(from, { body: response, direction: 'response', title: status }),
  );
  return <CodeTabs at={from.at} label={from.texts.response} samples={fitting(from, samples)} />;
}
