import { testChanging } from './changing.ts';

testChanging('space', 'team');
