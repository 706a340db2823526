import { createClient } from '../../src/client/client.ts';

/** The API of this page's own service; the browser's cookie stands for a key. */
export const gatelog = createClient({ apiUrl: '', apiKey: null });
