/** Shows the document of the service that sent this page. The key that is typed in stays in the memory of the page. */

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => {
  const { classList, dataset } = document.documentElement;
  classList.toggle('dark-mode', dataset.theme === undefined ? dark.matches : dataset.theme === 'dark');
};
followScheme();
dark.addEventListener('change', followScheme);

/** Keeps the operations with the phrase in their path, summary or method. */
const findOperations = () => ({
  fn: {
    opsFilter: (sections, phrase) => {
      const wanted = phrase.toLowerCase();
      const isFound = (operation) =>
        [operation.get('path'), operation.get('method'), operation.getIn(['operation', 'summary'])].some((text) =>
          String(text).toLowerCase().includes(wanted),
        );
      return sections
        .map((section) => section.update('operations', (operations) => operations.filter(isFound)))
        .filter((section) => section.get('operations').size > 0);
    },
  },
});

const state = document.querySelector('#state');

/** The renderer puts a link into each button of an endpoint, where nobody can reach it by keyboard. The address still follows what is open. */
const plainTitles = ({ React }) => ({ components: { DeepLink: ({ text }) => React.createElement('span', null, text) } });

/** What the renderer leaves without a name or out of reach of the keyboard. */
const named = [
  ['.scheme-container', () => ({ role: 'region', 'aria-label': 'Key' })],
  ['.filter-container', () => ({ role: 'search' })],
  ['.operation-filter-input', () => ({ 'aria-label': 'Search endpoints', placeholder: 'Search by path, method or words' })],
  ['.auth-container input', () => ({ type: 'password', autocomplete: 'off' })],
  ['textarea.body-param__text', () => ({ 'aria-label': 'Body' })],
  ['tr[data-param-name] :is(input, select, textarea)', (field) => ({ 'aria-label': field.closest('tr').dataset.paramName })],
  ['.microlight', () => ({ tabindex: '0' })],
];
const name = () => {
  for (const [selector, attributes] of named) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [key, value] of Object.entries(attributes(element))) {
        if (element.getAttribute(key) !== value) element.setAttribute(key, value);
      }
    }
  }
};

async function show() {
  const response = await fetch('openapi.json');
  if (!response.ok) throw new Error(`openapi.json: ${response.status} ${await response.text()}`);
  const spec = await response.json();
  // The page may lie behind a proxy, under a path of its own.
  const url = new URL('.', location.href).href.replace(/\/$/, '');
  new MutationObserver(name).observe(document.querySelector('#reference'), { childList: true, subtree: true });
  globalThis.SwaggerUIBundle({
    spec: { ...spec, servers: [{ url }] },
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    plugins: [findOperations, plainTitles],
    tryItOutEnabled: true,
    validatorUrl: null,
    onComplete: () => {
      state.textContent = '';
    },
  });
}

show().catch((error) => {
  state.textContent = `The reference cannot be shown. ${error.message}`;
});
