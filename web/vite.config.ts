import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The dashboard, into files that `scripts/pages.mjs` packs. `npx vite web` serves it while it is written, beside a running service. */
export default defineConfig({
  root: import.meta.dirname,
  // The page is in English; dates and numbers are in the reader's locale all the same.
  plugins: [react(), { ...optimizeLocales.vite({ locales: ['en-US'] }), enforce: 'pre' }],
  // Scripts find each other beside themselves, wherever the service puts them (GATELOG_BASE_PATH).
  base: './',
  build: {
    outDir: '../.cache/web',
    emptyOutDir: true,
    // For `scripts/pages.mjs`, which finds the scripts of each page in it.
    manifest: true,
    target: 'es2023',
    // The policy of the page allows no script and no picture inside it.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // One small file; in parts, each page would ask for a dozen.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // A shared file is named after all pages that share it.
        chunkFileNames: ({ name }) => `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'initial', tags: ['$initial'], priority: 2 },
            // The largest part: pages without a chart must not load it with what they share.
            { name: 'chart', test: /[\\/](?:uplot|ui[\\/]chart)[\\/]/, includeDependenciesRecursively: false, priority: 2 },
            // Pages with charts and pages without use these: put with the tables of Explore, they would bring the charts along.
            { name: 'menu', test: /[\\/]ui[\\/]overlay[\\/]menu-button\./, includeDependenciesRecursively: false, priority: 2 },
            {
              name: 'prompts',
              test: /[\\/]lib[\\/](?:prompt-versions|metrics[\\/]score-metrics)\./,
              includeDependenciesRecursively: false,
              priority: 2,
            },
            // Pages share many small modules, and each file costs a browser some milliseconds.
            { name: 'shared', minShareCount: 3, entriesAware: true, entriesAwareMergeThreshold: 6000, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8788', '/docs': 'http://127.0.0.1:8788' } },
});
