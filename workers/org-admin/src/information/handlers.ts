import { getApiInformation } from './get-api-information.ts';

export const informationHandlers = {
  getApiInformation,
};
