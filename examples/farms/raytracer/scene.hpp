// The scene of the ray tracer and what is seen of it.
#pragma once

struct Vector {
    double x, y, z;
};
using Colour = Vector;

inline constexpr Vector eye{0, 1.4, -4.8};

Vector normal(Vector v);
// Colour that comes to `from` out of a direction of length 1, over at most so many mirrors.
Colour seen(Vector from, Vector direction, int mirrors);
