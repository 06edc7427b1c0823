"""Packed positions as planes, on any device (docs/networks.md). A plane's numbers are stored as int8 and multiplied by `scales`."""

import torch

# Kinds by index: pawn, lance, knight, silver, bishop, rook, gold, king, then promoted pawn, lance, knight, silver, bishop, rook.
NINE = (9, range(14), (18, 4, 4, 4, 2, 2, 4))
FIVE = (5, (0, 3, 4, 5, 6, 7, 8, 11, 12, 13), (2, 0, 0, 2, 2, 2, 2))


def bits(data, count):
    """The first `count` bits of each row of bytes, lowest first."""
    places = torch.arange(8, device=data.device, dtype=torch.uint8)
    return ((data.unsqueeze(-1) >> places) & 1).flatten(1)[:, :count]


def shogi(packed, variant):
    size, kinds, hands = variant
    squares, kinds = size * size, list(kinds)
    side = len(kinds) + sum(hands)
    table = torch.full((32,), 2 * side, dtype=torch.long, device=packed.device)
    for place, kind in enumerate(kinds):
        table[kind + 1], table[kind + 15] = place, side + place
    planes = torch.zeros(len(packed), 2 * side + 1, squares, dtype=torch.int8, device=packed.device)
    codes = packed[:, :squares].long().clamp(max=31)
    planes.scatter_(1, table[codes].unsqueeze(1), 1)
    planes = planes[:, : 2 * side].clone()
    for owner in range(2):
        plane = owner * side + len(kinds)
        for kind, most in enumerate(hands):
            held = packed[:, squares + 7 * owner + kind]
            for k in range(most):
                planes[:, plane] = (held > k).to(torch.int8).unsqueeze(1)
                plane += 1
    return planes


def neighbours(size, device):
    """The four neighbours of each point; outside is point `size * size`."""
    points = torch.arange(size * size, device=device)
    column, row, outside = points % size, points // size, size * size
    return torch.stack([
        torch.where(column > 0, points - 1, outside), torch.where(column < size - 1, points + 1, outside),
        torch.where(row > 0, points - size, outside), torch.where(row < size - 1, points + size, outside),
    ])


def go(packed, size):
    points, device, count = size * size, packed.device, len(packed)
    own, other = bits(packed[:, :46], points).bool(), bits(packed[:, 46:92], points).bool()
    beside = neighbours(size, device)
    colour = own.long() + 2 * other.long()

    def around(x, k, outside):
        edge = torch.full((count, 1), outside, dtype=x.dtype, device=device)
        return torch.cat([x, edge], 1)[:, beside[k]]

    # Every stone takes the lowest number of its chain.
    chain = torch.arange(points, device=device).expand(count, points).clone()
    alike = [(around(colour, k, 0) == colour) & (colour > 0) for k in range(4)]
    for _ in range(points):
        lowest = chain
        for k in range(4):
            lowest = torch.where(alike[k], torch.minimum(lowest, around(chain, k, points)), lowest)
        lowest = torch.minimum(lowest, lowest.gather(1, lowest))
        if torch.equal(lowest, chain):
            break
        chain = lowest
    # Every empty point is a liberty of each chain beside it, once.
    liberties = torch.zeros(count, points + 1, dtype=torch.long, device=device)
    chains = [torch.where((around(colour, k, 0) > 0) & (colour == 0), around(chain, k, points), points) for k in range(4)]
    for k in range(4):
        new = chains[k] < points
        for j in range(k):
            new &= chains[j] != chains[k]
        liberties.scatter_add_(1, torch.where(new, chains[k], points), new.long())
    number = liberties.gather(1, chain).clamp(1, 3)
    planes = torch.zeros(count, 15, points, dtype=torch.int8, device=device)
    for side, stones in enumerate((own, other)):
        planes[:, side] = stones.to(torch.int8)
        for k in range(3):
            planes[:, 2 + 3 * side + k] = (stones & (number == k + 1)).to(torch.int8)
    word = lambda at: packed[:, at].long() + 256 * packed[:, at + 1].long()
    every = torch.arange(points, device=device)
    for plane, at in ((8, 92), (9, 94), (10, 96)):
        planes[:, plane] = (word(at).unsqueeze(1) == every).to(torch.int8)
    planes[:, 11] = 1
    planes[:, 12] = (word(94) == 65534).to(torch.int8).unsqueeze(1)
    halves = word(98)
    planes[:, 13] = torch.where(halves >= 32768, halves - 65536, halves).clamp(-127, 127).to(torch.int8).unsqueeze(1)
    planes[:, 14] = (packed[:, 100] & 1).to(torch.int8).unsqueeze(1)
    return planes


def shifted(board, rows, columns):
    """A board of squares moved; what leaves it is gone."""
    size = board.shape[-1]
    moved = torch.zeros_like(board)
    r, c = slice(max(rows, 0), size + min(rows, 0)), slice(max(columns, 0), size + min(columns, 0))
    r0, c0 = slice(max(-rows, 0), size + min(-rows, 0)), slice(max(-columns, 0), size + min(-columns, 0))
    moved[:, r, c] = board[:, r0, c0]
    return moved


def blokus(packed):
    size = 14
    squares = [bits(packed[:, at : at + 25], 196).view(-1, size, size).bool() for at in (0, 25)]
    taken = squares[0] | squares[1]
    free_start = (packed[:, 56] & 1).bool().view(-1, 1, 1)
    start = torch.zeros(2, size, size, dtype=torch.bool, device=packed.device)
    start[0, 4, 4] = start[1, 9, 9] = True
    planes = torch.zeros(len(packed), 49, size * size, dtype=torch.int8, device=packed.device)
    for side, own in enumerate(squares):
        edges = shifted(own, 1, 0) | shifted(own, -1, 0) | shifted(own, 0, 1) | shifted(own, 0, -1)
        corners = shifted(own, 1, 1) | shifted(own, -1, 1) | shifted(own, 1, -1) | shifted(own, -1, -1)
        begins = torch.where(free_start, start[0] | start[1], start[side])
        attach = torch.where(own.flatten(1).any(1).view(-1, 1, 1), corners & ~own & ~edges, begins)
        for kind, board in enumerate((own, taken | edges, attach & ~taken)):
            planes[:, 3 * side + kind] = board.flatten(1).to(torch.int8)
        hand = bits(packed[:, 50 + 3 * side : 53 + 3 * side], 21).to(torch.int8)
        planes[:, 6 + 21 * side : 27 + 21 * side] = hand.unsqueeze(2)
    planes[:, 48] = 1
    return planes


def expand(layout, board, packed):
    """Planes of packed positions (a tensor of bytes): positions, planes, squares."""
    if layout == "shogi-104":
        return shogi(packed, NINE)
    if layout == "minishogi-40":
        return shogi(packed, FIVE)
    if layout == "go-15":
        return go(packed, board)
    if layout == "blokus-duo-49":
        return blokus(packed)
    raise ValueError(f"no plane layout `{layout}`")


def scales(layout, count, device):
    """What the stored numbers of each plane are multiplied by: komi is stored in half points and seen in units of 15 points."""
    scale = torch.ones(count, device=device)
    if layout == "go-15":
        scale[13] = 1 / 30
    return scale
