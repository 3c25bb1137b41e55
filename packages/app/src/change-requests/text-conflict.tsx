import type { Conflict } from '@octavo/merge';
import type { VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ActionForm } from '../ui/dialog.tsx';
import { type Choice, chooseLines, createConflictKeys, resolveText } from './conflict-texts.ts';
import { MarkedText } from './marked-text.tsx';
import { markWords } from './words.ts';

interface TextConflictFormProps {
  parts: (string | Conflict)[];
  /** Whether the text is read again, so that it cannot be saved yet. */
  isLoading: boolean;
  onSave: (markdown: string) => Promise<void>;
}

/** The conflicts in a text one by one, each with both sides, a choice and its result. */
export function TextConflictForm({ parts, isLoading, onSave }: TextConflictFormProps): VNode {
  // The choices are stored by conflict, so that they are kept when another person edits other parts of the text.
  const [chosen, setChosen] = useState<ReadonlyMap<string, Choice>>(new Map());
  const conflicts = parts.filter((part) => typeof part !== 'string');
  const keys = createConflictKeys(conflicts);
  const choices = keys.map((key) => chosen.get(key));
  const text = resolveText(parts, choices);
  const open = choices.filter((choice) => choice === undefined).length;
  return (
    <ActionForm submit="Save result" isDisabled={text === undefined || isLoading} onSubmit={() => onSave(text ?? '')}>
      {conflicts.map((conflict, index) => (
        <ConflictRegion
          key={keys[index]}
          title={conflicts.length === 1 ? 'Conflict' : `Conflict ${index + 1} of ${conflicts.length}`}
          conflict={conflict}
          choice={choices[index]}
          choose={(choice) => setChosen((former) => new Map(former).set(keys[index] ?? '', choice))}
        />
      ))}
      {open > 0 && conflicts.length > 1 && (
        <p class="muted">
          {open} of {conflicts.length} conflicts need a choice.
        </p>
      )}
    </ActionForm>
  );
}

interface RegionProps {
  title: string;
  conflict: Conflict;
  choice: Choice | undefined;
  choose: (choice: Choice) => void;
}

const options = [
  ['mine', 'Keep this change request'],
  ['live', 'Keep live content'],
  ['both', 'Keep both'],
] as const;

/** Both sides of a conflict, with the words that differ. */
function ConflictSides({ conflict }: Pick<RegionProps, 'conflict'>): VNode {
  const marked = markWords(conflict.main, conflict.incoming);
  return (
    <dl class="sides">
      <div>
        <dt>This change request</dt>
        <dd>
          <MarkedText parts={marked?.after ?? [{ text: conflict.incoming, isChanged: false }]} as="ins" />
        </dd>
      </div>
      <div>
        <dt>Live content</dt>
        <dd>
          <MarkedText parts={marked?.before ?? [{ text: conflict.main, isChanged: false }]} as="ins" />
        </dd>
      </div>
    </dl>
  );
}

function ConflictRegion({ title, conflict, choice, choose }: RegionProps): VNode {
  const name = useId();
  const result = choice === undefined ? undefined : chooseLines(conflict, choice);
  const isEdited = typeof choice === 'object';
  return (
    <fieldset class="region">
      <legend>{title}</legend>
      <ConflictSides conflict={conflict} />
      <div class="region-choices">
        {options.map(([value, label]) => (
          <label key={value}>
            <input type="radio" name={name} checked={choice === value} onChange={() => choose(value)} />
            {label}
          </label>
        ))}
        <label>
          <input
            type="radio"
            name={name}
            checked={isEdited}
            onChange={() => choose({ text: result ?? conflict.incoming })}
          />
          Edit
        </label>
      </div>
      {isEdited && (
        <label class="region-result">
          Result
          <textarea
            class="input source"
            rows={Math.min(12, choice.text.split('\n').length + 1)}
            value={choice.text}
            onInput={(event) => choose({ text: event.currentTarget.value })}
          />
        </label>
      )}
      {result !== undefined && !isEdited && (
        <div class="region-result">
          Result
          {result === '' ? <p class="muted">These lines are removed.</p> : <pre>{result}</pre>}
        </div>
      )}
    </fieldset>
  );
}
