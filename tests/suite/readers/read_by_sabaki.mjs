// A file as Sabaki's parser reads it: board, komi, stones before the game, turns and result, as JSON.

import sgf from "@sabaki/sgf";

const [root] = sgf.parseFile(process.argv[2]);
const { data } = root;
const turns = [];
for (let node = root.children[0]; node; node = node.children[0]) {
  for (const colour of ["B", "W"]) {
    if (node.data[colour]) turns.push(colour + node.data[colour][0]);
  }
}
console.log(
  JSON.stringify({
    size: Number(data.SZ[0]),
    komi: data.KM[0],
    stones: [...(data.AB ?? [])].sort(),
    turns,
    result: data.RE?.[0] ?? null,
    names: [data.PB[0], data.PW[0]],
  }),
);
