import { expect, test } from 'vitest';
import type { ConnectOptions, DatabaseBinding } from './connect.ts';
import { connect } from './connect.ts';

/** Returns the constraint or bookmark with which a connection starts its D1 session. */
function getStart(options: ConnectOptions): string[] {
  const starts: string[] = [];
  const binding: DatabaseBinding = {
    prepare: () => expect.fail('Nothing is asked.'),
    batch: () => expect.fail('Nothing is asked.'),
    withSession: (start) => {
      starts.push(start);
      return { ...binding, getBookmark: () => null };
    },
  };
  connect(binding, options);
  return starts;
}

test('a read goes to any replica that has reached its bookmark', () => {
  expect(getStart({ intent: 'read', bookmark: '0000-01' })).toEqual(['0000-01']);
});

test('a read without a bookmark goes to the primary', () => {
  expect(getStart({ intent: 'read' })).toEqual(['first-primary']);
});

test('a write goes to the primary, whatever its bookmark', () => {
  expect(getStart({ intent: 'write', bookmark: '0000-01' })).toEqual(['first-primary']);
  expect(getStart({ intent: 'write' })).toEqual(['first-primary']);
});
