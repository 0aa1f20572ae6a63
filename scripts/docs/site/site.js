/** What the pages at `/docs` do beyond showing text: search, copying, and trying a call. */

const search = document.querySelector('#search');
const found = document.querySelector('#found');
const maxFound = 12;
let pages;

search.hidden = false;
search.addEventListener('focus', load);
search.addEventListener('input', show);
search.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') search.value = '';
  if (event.key === 'ArrowDown') found.querySelector('a')?.focus();
  if (event.key === 'Enter') found.querySelector('a')?.click();
  if (event.key === 'Escape') show();
});
found.addEventListener('keydown', (event) => {
  const item = event.target.closest('li');
  if (event.key === 'ArrowDown') item.nextElementSibling?.firstElementChild.focus();
  if (event.key === 'ArrowUp') (item.previousElementSibling?.firstElementChild ?? search).focus();
  if (event.key.startsWith('Arrow')) event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input:not([type=radio]), textarea')) return;
  event.preventDefault();
  search.focus();
});

/** What could not be fetched is asked for again the next time. */
function load() {
  if (pages === undefined) {
    pages = fetch('./search.json').then((answer) => answer.json());
    pages.catch(() => {
      pages = undefined;
    });
  }
  return pages;
}

async function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = await load().catch(() => undefined);
  if (all === undefined) {
    found.replaceChildren(itemWith('The server could not be reached.'));
    found.hidden = false;
    return;
  }
  const isIn = (text) => words.every((word) => text.toLowerCase().includes(word));
  const byTitle = all.filter(({ title }) => isIn(title));
  const others = all.filter((page) => !byTitle.includes(page) && isIn(`${page.title} ${page.words}`));
  const hits = words.length === 0 ? [] : [...byTitle, ...others].slice(0, maxFound);
  const nothing = `Nothing for “${search.value.trim()}”.`;
  found.replaceChildren(...(hits.length === 0 ? [itemWith(nothing)] : hits.map(linkItem)));
  found.hidden = words.length === 0;
}

function linkItem({ name, title }) {
  const link = document.createElement('a');
  link.href = `./${name}`;
  link.textContent = title;
  return itemWith(link);
}

function itemWith(content) {
  const item = document.createElement('li');
  item.append(content);
  return item;
}

// Browsers have no clipboard for pages that come without TLS from another machine.
for (const block of navigator.clipboard === undefined ? [] : document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  const frame = document.createElement('div');
  frame.className = 'copied';
  block.replaceWith(frame);
  frame.append(block, button);
}

// The list scrolls by itself, without moving the page.
const list = document.querySelector('nav');
const current = list.querySelector('[aria-current]');
if (current !== null) list.scrollTop = current.offsetTop - list.clientHeight / 2;

// A phone shows the text first.
if (matchMedia('(width < 60rem)').matches) document.querySelector('.contents').open = false;

const attempt = document.querySelector('.try');
if (attempt !== null) {
  attempt.hidden = false;
  attempt.querySelector('form').addEventListener('submit', tryCall);
}

/** Names of fields that are no parameters begin with a space. */
async function tryCall(event) {
  event.preventDefault();
  const form = event.target;
  const { method, path } = form.dataset;
  const given = new FormData(form);
  const output = form.querySelector('output');
  const button = form.querySelector('button[type=submit]');
  const headers = credentialsOf(given);
  if (headers === undefined) {
    output.textContent = 'Enter a user name and a password, or an API key.';
    return;
  }
  const query = new URLSearchParams();
  let target = path;
  for (const [name, value] of given) {
    if (name.startsWith(' ')) continue;
    if (target.includes(`{${name}}`)) target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.append(name, value);
  }
  button.disabled = true;
  output.textContent = '…';
  try {
    const url = `..${target}${query.size === 0 ? '' : `?${query}`}`;
    // The browser's own credentials stay out of it: with a 401 it would ask for a password itself.
    const answer = await fetch(url, { method, headers, body: given.get(' body'), credentials: 'omit' });
    const text = await answer.text();
    output.textContent = `${answer.status} ${answer.statusText}\n${readable(text)}`;
  } catch (error) {
    output.textContent = `The server could not be reached: ${error.message}`;
  }
  button.disabled = false;
}

function credentialsOf(given) {
  const key = given.get(' key') ?? '';
  const username = given.get(' username');
  const password = given.get(' password');
  if (username === '' && password === '') return key === '' ? undefined : { 'X-API-Key': key };
  if (username === '' || password === '' || key !== '') return undefined;
  const octets = new TextEncoder().encode(`${username}:${password}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...octets))}` };
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
