// A naive server of turn-based games, as they are often written: one process of Node, a room of
// socket.io for each game, a game as one JSON text in Redis. A move reads the game, checks whose
// turn it is, appends, writes the game back, and tells the room. It knows no rules, no clock and no
// accounts, and two moves at the same instant can overwrite each other.
//
// REDIS_URL says where Redis is; the first line that it prints, where it listens itself.
import { createServer } from "node:http";
import { Redis } from "ioredis";
import { Server } from "socket.io";

const redis = new Redis(process.env.REDIS_URL);
const http = createServer();
const io = new Server(http, { perMessageDeflate: false });

const key = (game) => `game:${game}`;

io.on("connection", (socket) => {
  // Whoever comes first makes the game; whoever watches is told of every move.
  socket.on("join", async ({ game, colour, watch }, acknowledge) => {
    if (socket.data.game) socket.leave(socket.data.game);
    socket.data = { game, colour };
    const fresh = { id: game, turn: "black", moves: [], startedAt: Date.now() };
    await redis.setnx(key(game), JSON.stringify(fresh));
    if (watch) socket.join(game);
    acknowledge({ game });
  });

  socket.on("move", async ({ game, number, row, column }, acknowledge) => {
    const state = JSON.parse(await redis.get(key(game)));
    const { colour } = socket.data;
    if (!state || state.turn !== colour || state.moves.length + 1 !== number) {
      return acknowledge({ error: "it is not your turn" });
    }
    state.moves.push({ number, colour, row, column, at: Date.now() });
    state.turn = colour === "black" ? "white" : "black";
    await redis.set(key(game), JSON.stringify(state));
    io.to(game).emit("moved", { game, number, colour, row, column, turn: state.turn });
    acknowledge({ game, number, turn: state.turn });
  });
});

http.listen(0, "127.0.0.1", () => console.log(`listen=127.0.0.1:${http.address().port}`));
