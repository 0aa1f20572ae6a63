/** Writes the notices that go along with what is built: the licence of each package that has code in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

const head = `Carillon is made with the packages below: their code, or part of it, stands in its program, in the pages of its portal
and in the page of its API. Each comes under its own licence, as its authors have written it. Packages that are installed
beside Carillon have theirs in their own folders.
`;

/** What bundlers add of their own, by what they call it. */
const ofBundlers = [
  [/^\0?rolldown\/runtime/, 'rolldown'],
  [/^\0?vite\//, 'vite'],
];

/** `modules`: the paths of all files that went in. Throws where a licence isn't to be found. */
export function thirdPartyNotices(modules) {
  // esbuild's own few functions are in every bundle, and no module.
  const folders = new Set([join(packages, 'esbuild')]);
  for (const module of modules) {
    const folder = packageOf(module);
    if (folder !== undefined) folders.add(folder);
  }
  const notices = new Map();
  for (const folder of folders) {
    const own = modules.filter((module) => module.startsWith(`${folder}/`));
    const [title, text] = noticeOf(folder, own);
    notices.set(title, text);
  }
  const sorted = [...notices].sort(([a], [b]) => (a < b ? -1 : 1));
  return [head, ...sorted.map(([title, text]) => `${'-'.repeat(80)}\n${title}\n\n${text}\n`)].join('\n');
}

/** Undefined for what is our own. */
function packageOf(module) {
  const [, bundler] = ofBundlers.find(([name]) => name.test(module)) ?? [];
  if (bundler !== undefined) return join(packages, bundler);
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0];
}

function noticeOf(folder, modules) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const ofPackage = readdirSync(folder)
    .filter((file) => /^(licen[sc]e|copying|notice)/i.test(file))
    .map((file) => join(folder, file));
  // What was bundled before into a file of theirs.
  const besides = modules.map((module) => `${module}.LICENSE.txt`).filter((file) => existsSync(file));
  const texts = [...ofPackage, ...besides].map((file) => ownPart(name, readFileSync(file, 'utf8')).trim());
  const title = `${name} ${version} (${license})`;
  return [title, texts.length > 0 ? texts.join('\n\n') : withoutFile({ folder, title, license, author })];
}

/** Of Vite a few lines go into the pages, and nothing of what is bundled into Vite, whose licences it tells as well. */
function ownPart(name, text) {
  return name === 'vite' ? text.split(/^# licenses of bundled dependencies/im)[0] : text;
}

/** Some tell it in what they say of themselves, or only by name. */
function withoutFile({ folder, title, license, author }) {
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  const content = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  const section = /^#+ *licen[sc]e\b.*\n([\s\S]*)/im.exec(content)?.[1]?.trim();
  if (section !== undefined && /permission is hereby granted/i.test(section)) return section;
  if (license !== 'MIT')
    throw new Error(`${title} has no text of its licence: scripts/third-party.mjs needs it.`);
  const holder = typeof author === 'string' ? author : author?.name;
  return `Copyright (c) ${holder ?? 'the authors of the package'}\n\n${mit}`;
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
