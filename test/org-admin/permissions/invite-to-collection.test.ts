import { testInviting } from './inviting.ts';

testInviting('collection');
