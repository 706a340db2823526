/** Path before all paths of this service (`GATELOG_BASE_PATH`), as the page says that it has sent; empty or `/…`. */
export const basePath = globalThis.document?.documentElement.dataset['basePath'] ?? '';
