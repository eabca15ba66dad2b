"""Planets under gravity: float arithmetic over lists, in the shape of the Benchmarks Game's n-body."""


def make_bodies():
    days = 365.24
    solar = 4 * 3.141592653589793**2
    sun = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], solar)
    jupiter = (
        [4.84143144246472090, -1.16032004402742839, -0.103622044471123109],
        [0.00166007664274403694 * days, 0.00769901118419740425 * days, -0.0000690460016972063023 * days],
        0.000954791938424326609 * solar,
    )
    saturn = (
        [8.34336671824457987, 4.12479856412430479, -0.403523417114321381],
        [-0.00276742510726411 * days, 0.00499852801234917 * days, 0.0000230417297573763 * days],
        0.000285885980666130812 * solar,
    )
    uranus = (
        [12.8943695621391310, -15.1111514016986312, -0.223307578892655734],
        [0.00296460137564761618 * days, 0.00237847173959480950 * days, -0.0000296589568540237556 * days],
        0.0000436624404335156298 * solar,
    )
    neptune = (
        [15.3796971148509165, -25.9193146099879641, 0.179258772950371181],
        [0.00268067772490389322 * days, 0.00162824170038242295 * days, -0.0000951592254519715870 * days],
        0.0000515138902046611451 * solar,
    )
    return [sun, jupiter, saturn, uranus, neptune]


def pairs_of(items):
    pairs = []
    for i in range(len(items) - 1):
        for other in items[i + 1 :]:
            pairs.append((items[i], other))
    return pairs


def advance(step, count, bodies, pairs):
    for _ in range(count):
        for ([x1, y1, z1], v1, m1), ([x2, y2, z2], v2, m2) in pairs:
            dx = x1 - x2
            dy = y1 - y2
            dz = z1 - z2
            magnitude = step * ((dx * dx + dy * dy + dz * dz) ** -1.5)
            b1 = m1 * magnitude
            b2 = m2 * magnitude
            v1[0] -= dx * b2
            v1[1] -= dy * b2
            v1[2] -= dz * b2
            v2[0] += dx * b1
            v2[1] += dy * b1
            v2[2] += dz * b1
        for position, (vx, vy, vz), _ in bodies:
            position[0] += step * vx
            position[1] += step * vy
            position[2] += step * vz


def energy(bodies, pairs):
    total = 0.0
    for ((x1, y1, z1), _, m1), ((x2, y2, z2), _, m2) in pairs:
        dx = x1 - x2
        dy = y1 - y2
        dz = z1 - z2
        total -= (m1 * m2) / ((dx * dx + dy * dy + dz * dz) ** 0.5)
    for _, (vx, vy, vz), mass in bodies:
        total += mass * (vx * vx + vy * vy + vz * vz) / 2.0
    return total


def main():
    bodies = make_bodies()
    pairs = pairs_of(bodies)
    momentum = [0.0, 0.0, 0.0]
    for _, velocity, mass in bodies:
        for axis in range(3):
            momentum[axis] -= velocity[axis] * mass
    sun_velocity = bodies[0][1]
    for axis in range(3):
        sun_velocity[axis] = momentum[axis] / bodies[0][2]
    print("%.9f" % energy(bodies, pairs))
    advance(0.01, 100_000, bodies, pairs)
    print("%.9f" % energy(bodies, pairs))


if __name__ == "__main__":
    main()
