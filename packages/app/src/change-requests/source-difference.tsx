import type { VNode } from 'preact';
import { MarkedText } from './marked-text.tsx';
import { type DiffLine, type DiffRow, pairLines, parseDiff, toUnifiedLines } from './parse-diff.ts';

interface SideTitles {
  before: string;
  after: string;
}

interface SourceDifferenceProps {
  /** The unified diff from the API. */
  diff: string;
  isSideBySide: boolean;
  /** Titles of the two sides. Set if neither side is older: no line is then marked as removed or added. */
  titles?: SideTitles;
}

/** The changed lines of a text, in one column or side by side. */
export function SourceDifference({ diff, isSideBySide, titles }: SourceDifferenceProps): VNode {
  const hunks = parseDiff(diff).map(pairLines);
  return (
    <div class={['source-diff', isSideBySide && 'side-by-side', titles && 'versions'].filter(Boolean).join(' ')}>
      <table>
        <caption class="hidden">Changed lines</caption>
        {isSideBySide && <SideColumns />}
        {titles === undefined ? (
          <thead class="hidden">
            <tr>{isSideBySide ? <SideHeaders /> : <UnifiedHeaders />}</tr>
          </thead>
        ) : (
          <TitleRow titles={titles} />
        )}
        {hunks.map((rows) => (
          <tbody>
            {isSideBySide ? (
              rows.map((row) => <SideRow row={row} isVersion={titles !== undefined} />)
            ) : (
              <UnifiedRows rows={rows} />
            )}
          </tbody>
        ))}
      </table>
    </div>
  );
}

const SideColumns = (): VNode => (
  <colgroup>
    <col class="number" />
    <col />
    <col class="number" />
    <col />
  </colgroup>
);

const UnifiedHeaders = (): VNode => (
  <>
    <th scope="col">Old line</th>
    <th scope="col">New line</th>
    <th scope="col">Text</th>
  </>
);

const SideHeaders = (): VNode => (
  <>
    <th scope="col">Old line</th>
    <th scope="col">Old text</th>
    <th scope="col">New line</th>
    <th scope="col">New text</th>
  </>
);

const TitleRow = ({ titles }: { titles: SideTitles }): VNode => (
  <thead>
    <tr>
      <th scope="colgroup" colSpan={2}>
        {titles.before}
      </th>
      <th scope="colgroup" colSpan={2}>
        {titles.after}
      </th>
    </tr>
  </thead>
);

const UnifiedRows = ({ rows }: { rows: DiffRow[] }): VNode => (
  <>
    {toUnifiedLines(rows).map((line) => (
      <tr class={line.kind}>
        <td class="number">{line.before}</td>
        <td class="number">{line.after}</td>
        <LineText line={line} />
      </tr>
    ))}
  </>
);

const SideRow = ({ row: { before, after }, isVersion }: { row: DiffRow; isVersion: boolean }): VNode => (
  <tr>
    <td class="number">{before?.before}</td>
    {before === undefined ? <td class="blank" /> : <LineText line={before} isVersion={isVersion} />}
    <td class="number">{after?.after}</td>
    {after === undefined ? <td class="blank" /> : <LineText line={after} isVersion={isVersion} />}
  </tr>
);

const signs: Record<DiffLine['kind'], string> = { unchanged: '', removed: 'Removed: ', added: 'Added: ' };

const LineText = ({ line, isVersion = false }: { line: DiffLine; isVersion?: boolean }): VNode => (
  <td class={`diff-line ${line.kind}`}>
    {signs[line.kind] !== '' && !isVersion && <span class="hidden">{signs[line.kind]}</span>}
    <span class="source">
      <MarkedText parts={line.parts} as={line.kind === 'removed' && !isVersion ? 'del' : 'ins'} />
    </span>
    {line.isUnterminated === true && <small> No newline at the end</small>}
  </td>
);
