import { testChanging } from './changing.ts';

testChanging('space', 'user');
