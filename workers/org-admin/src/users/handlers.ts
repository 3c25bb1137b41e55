import { createUserToken } from './create-user-token.ts';
import { deleteUserToken } from './delete-user-token.ts';
import { getAuthenticatedUser } from './get-authenticated-user.ts';
import { getUserById } from './get-user-by-id.ts';
import { listUserTokens } from './list-user-tokens.ts';
import { updateUserById } from './update-user-by-id.ts';

export const usersHandlers = {
  getAuthenticatedUser,
  getUserById,
  updateUserById,
  listUserTokens,
  createUserToken,
  deleteUserToken,
};
