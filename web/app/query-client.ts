import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../src/client/client.ts';

const maxAttempts = 2;

/** What happens when the service no longer knows who asks: the session ended, or the key was revoked. */
let onExpired: () => void = () => undefined;

export function whenExpired(callback: () => void): void {
  onExpired = callback;
}

function onError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) onExpired();
}

/** Answers are asked for again when a reader comes back to them; a refusal is final. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      retry: (attempts, error) => attempts < maxAttempts && !(error instanceof ApiError && error.status > 0 && error.status < 500),
    },
  },
});
