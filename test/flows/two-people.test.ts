import { test } from 'vitest';
import { reviewTogether } from './two-people.ts';

test('two people import, propose, discuss, review, fix, approve and merge', reviewTogether);
