import { queryOptions } from '@tanstack/react-query';
import { gatelog } from './client.ts';

/** Whose accounts people sign in with; null: they sign in with keys alone. */
export const issuerQuery = queryOptions({
  queryKey: ['issuer'],
  queryFn: async ({ signal }) => (await gatelog.signIn.issuer({ signal })).data,
});
