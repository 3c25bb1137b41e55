import type { CallOperator, CheckedPart } from '@octavo/platform';
import { misuse } from '../failure.ts';
import { print, type Terminal } from '../terminal.ts';
import type { Command } from './command.ts';
import { asOperator } from './operator.ts';

export const doctor: Command = {
  summary: 'As the operator, check that what is stored is sound',
  usage: 'octavo doctor --data',
  options: { data: { type: 'boolean' } },
  arguments: 0,
  run: async ({ values }, terminal) => {
    if (!values.data) throw misuse(`The command is used as: ${doctor.usage}`);
    const { rows, tables, faults } = await asOperator(terminal, (call) => checkAll(call, terminal));
    const verdict = faults === 0 ? 'all sound' : `${faults} ${faults === 1 ? 'fault' : 'faults'}`;
    print(terminal, `Checked ${rows} rows of ${tables} tables: ${verdict}.`);
    return faults === 0 ? 0 : 1;
  },
};

async function checkAll(call: CallOperator, terminal: Terminal) {
  const tables = new Set<string>();
  let [rows, faults] = [0, 0];
  for (let from: CheckedPart['next'] | undefined; from !== null; ) {
    const part: CheckedPart = await call('/data/check', from === undefined ? {} : { from });
    for (const fault of part.faults) print(terminal, lineOf(fault));
    tables.add(part.table);
    rows += part.rows;
    faults += part.faults.length;
    from = part.next;
  }
  return { rows, tables: tables.size, faults };
}

const lineOf = ({ table, key, path, message }: CheckedPart['faults'][number]): string =>
  [table, key, path, message.replace(/\s+/g, ' ')].join('  ');
