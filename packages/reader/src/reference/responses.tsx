import { isObject, type JsonObject, ownOf, resolveLocal, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { Media } from './body.tsx';
import type { OperationDrawing } from './drawn-reference.ts';
import { Field } from './fields.tsx';
import { mediaOf } from './media.ts';
import { Prose, wordsOf } from './prose.tsx';
import { objectIn } from './schema.ts';
import { Section } from './section.tsx';

/** An answer by its status: a number, `4XX` or `default`. */
export interface ResponseOfOperation {
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
              schema={from.schemas.read(ownOf(value, 'schema'))}
              direction="response"
              isRequired={ownOf(value, 'required') === true}
              description={textAt(value, 'description')}
            />
          );
        })}
      </ul>
    </>
  );
}

/** The answers of an operation; those of success stand open. */
export function Responses({ from }: { from: OperationDrawing }): ComponentChildren {
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
