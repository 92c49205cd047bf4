#include "scene.hpp"

#include <cmath>

namespace {

struct Ball {
    Vector centre;
    double radius;
    Colour colour;
    double mirror;  // share of the light that it reflects
};

constexpr Ball balls[] = {
    {{0.0, 1.0, 0.6}, 1.0, {0.9, 0.9, 0.95}, 0.7},     {{-1.5, 0.5, -0.4}, 0.5, {0.85, 0.2, 0.15}, 0.2},
    {{1.4, 0.45, -0.6}, 0.45, {0.2, 0.55, 0.85}, 0.2}, {{-0.45, 0.25, -1.3}, 0.25, {0.95, 0.75, 0.1}, 0.1},
    {{0.6, 0.2, -1.5}, 0.2, {0.25, 0.7, 0.3}, 0.3},
};
constexpr Vector light{-4, 6, -4};
constexpr double near = 1e-4, far = 1e9;

Vector operator+(Vector a, Vector b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator-(Vector a, Vector b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator*(Vector a, double s) {
    return {a.x * s, a.y * s, a.z * s};
}
double dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Distance along the ray to the ball, or `far`.
double distance_to(const Ball& ball, Vector from, Vector direction) {
    const Vector way = from - ball.centre;
    const double half = dot(way, direction), under = half * half - dot(way, way) + ball.radius * ball.radius;
    if (under < 0) return far;
    const double root = std::sqrt(under);
    if (-half - root > near) return -half - root;
    return -half + root > near ? -half + root : far;
}

struct Hit {
    double distance = far;
    const Ball* ball = nullptr;  // or the floor
};

Hit first_hit(Vector from, Vector direction) {
    Hit hit;
    for (const Ball& ball : balls) {
        const double distance = distance_to(ball, from, direction);
        if (distance < hit.distance) hit = {distance, &ball};
    }
    const double to_floor = direction.y < 0 ? -from.y / direction.y : far;
    if (to_floor > near && to_floor < hit.distance) hit = {to_floor, nullptr};
    return hit;
}

Colour sky(Vector direction) {
    const double height = direction.y > 0 ? direction.y : 0;
    return Colour{0.75, 0.82, 0.9} * (1 - height) + Colour{0.2, 0.4, 0.75} * height;
}

}  // namespace

Vector normal(Vector v) {
    return v * (1 / std::sqrt(dot(v, v)));
}

Colour seen(Vector from, Vector direction, int mirrors) {
    const Hit hit = first_hit(from, direction);
    if (hit.distance >= far) return sky(direction);
    const Vector point = from + direction * hit.distance;
    const Vector up = hit.ball != nullptr ? normal(point - hit.ball->centre) : Vector{0, 1, 0};
    const bool dark = (static_cast<long>(std::floor(point.x)) + static_cast<long>(std::floor(point.z))) % 2 == 0;
    const Colour own = hit.ball != nullptr ? hit.ball->colour : dark ? Colour{0.15, 0.15, 0.17} : Colour{0.8, 0.8, 0.75};
    const double mirror = hit.ball != nullptr ? hit.ball->mirror : 0.1;

    const Vector to_light = light - point;
    const double distance = std::sqrt(dot(to_light, to_light));
    const Vector ray = to_light * (1 / distance);
    const double slope = dot(up, ray);
    const bool lit = slope > 0 && first_hit(point + up * near, ray).distance > distance;
    const Colour plain = own * (0.12 + (lit ? 0.88 * slope : 0));
    if (mirrors == 0) return plain;
    const Vector back = direction - up * (2 * dot(direction, up));
    return plain * (1 - mirror) + seen(point + up * near, back, mirrors - 1) * mirror;
}
