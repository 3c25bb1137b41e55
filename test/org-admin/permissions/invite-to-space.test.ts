import { testInviting } from './inviting.ts';

testInviting('space');
